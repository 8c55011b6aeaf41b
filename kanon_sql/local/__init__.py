"""Local recoding: each class of rows has labels of its own, words of the hierarchies, chosen by what they lose."""
