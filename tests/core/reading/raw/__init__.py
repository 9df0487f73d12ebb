"""Files written piece by piece, so that any piece can lie: what no library would write."""
