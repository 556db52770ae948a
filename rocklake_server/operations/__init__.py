"""What operators do with a lake through the server that has it open: procedures, and their schedule."""
