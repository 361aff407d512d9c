-- Children in progress: each is looked at when a run of its parent ends.
CREATE INDEX sessions_busy_children ON sessions (parent_session_id)
    WHERE parent_session_id IS NOT NULL AND status IN ('pending', 'running', 'waiting', 'input_required');
