"""Watch: a folder or a bucket of models, whose new versions are served by themselves."""
