"""How good are the chunks, before any retrieval?"""
