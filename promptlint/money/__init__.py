"""What a request costs, what a cache saves, and when it pays. Knows prices, but no rule of a cache."""
