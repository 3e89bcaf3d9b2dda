"""What bad chunks cost: does a measure of the chunks go with the passages that are missed?"""
