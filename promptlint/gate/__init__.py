"""Figures of two revisions against a budget -> verdict; what a lock keeps of prompts. Knows neither files nor git."""
