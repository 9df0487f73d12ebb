"""Uploads, from their arrival to the data set that they become."""
