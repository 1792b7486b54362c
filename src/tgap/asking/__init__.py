"""Questions, operations and the model that answers them: names in, ranked answers with explanations out."""
