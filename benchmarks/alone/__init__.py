"""What the server has to reach whatever another one does: one module for each case, run by ``python -m``."""
