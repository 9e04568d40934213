"""Other people's weights into folders that the server loads."""
