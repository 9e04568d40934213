"""The processes that hold loaded models, and the talk with them."""
