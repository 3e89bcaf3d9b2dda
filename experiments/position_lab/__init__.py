"""Does the place of the evidence in the prompt change a model's answers?"""
