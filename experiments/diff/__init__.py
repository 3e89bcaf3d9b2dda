"""Two stored pipelines, question by question: what moved, and which stage lost it."""
