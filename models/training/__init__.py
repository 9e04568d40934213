"""How the models are made: synthesis of drawings, training, export and evaluation."""
