"""What a leaderboard's public and private scores can say, and what they cannot."""
