"""17 keypoints and the silhouette of one drawn figure, from its crop."""
