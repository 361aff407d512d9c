-- Whether anybody still needs a definition is asked when a workflow run is removed.
CREATE INDEX workflow_documents_definition ON workflow_documents (definition);
