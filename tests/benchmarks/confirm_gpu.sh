#!/usr/bin/env bash
# Measures prefix reuse on a GPU with a random Llama of 1B parameters and prints Markdown; needs the extra `model`.
# usage: tests/benchmarks/confirm_gpu.sh [--dry-run]     under 8 minutes; --dry-run: tiny, on the processor
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false
exec timeout 480 "${PYTHON:-python3}" tests/benchmarks/confirm_gpu.py "$@"
