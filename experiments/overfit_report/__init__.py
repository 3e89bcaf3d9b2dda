"""The overfitting report: a card for the winner, a ladder, and what choosing among trials did."""
