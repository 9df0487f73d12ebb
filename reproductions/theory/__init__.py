"""What is proved of comparison trees and forests: thesis, chapter 3, and its supplement."""
