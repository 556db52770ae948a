"""Copies of whole lakes: from one DuckLake catalog to another, compared row by row at the end."""
