"""How an answer about a labelled pair is graded. Knows no tool: tools are adapted to `answer.Answer`."""
