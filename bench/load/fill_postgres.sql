-- Copies the newest finished run `runs` times: other ids and times, a result of `bytes`, agents, models and outcomes as in a database
-- that was used for a month.
\set ON_ERROR_STOP 1
SET synchronous_commit = off;
CREATE TEMP TABLE template AS
SELECT id, session_id FROM runs WHERE status = 'completed' ORDER BY created_at DESC LIMIT 1;
-- Texts that do not compress to nothing.
CREATE TEMP TABLE texts AS
SELECT k, '{"severity":"high","summary":"' || string_agg(md5(k::text || '-' || i), ' ') || '"}' AS text
FROM generate_series(0, 99) k, generate_series(1, greatest(1, :bytes / 33 / 2)) i GROUP BY k;
CREATE TEMP TABLE made AS
SELECT n, 'run_load' || lpad(n::text, 9, '0') AS run_id, 'ses_load' || lpad(n::text, 9, '0') AS session_id,
    CASE n % 20 WHEN 0 THEN 'bench' ELSE 'agent-' || n % 20 END AS agent_name,
    CASE WHEN n % 50 < 46 THEN 'completed' WHEN n % 50 < 49 THEN 'failed' ELSE 'stopped' END AS status,
    ((extract(epoch FROM now()) - 3 * 3600 - 30 * 86400.0 * (:runs - n) / :runs) * 1000000)::bigint AS at,
    (1000 + (n * 7919) % 60000) * 1000::bigint AS taken
FROM generate_series(1, :runs) n;

INSERT INTO sessions (id, agent_name, status, parent_session_id, project_dir, affinity, last_run_id, created_at, updated_at)
SELECT m.session_id, m.agent_name, s.status, NULL, s.project_dir, s.affinity, m.run_id, m.at, m.at + m.taken
FROM made m, template t JOIN sessions s ON s.id = t.session_id;
INSERT INTO runs (id, session_id, kind, agent_name, status, execution_mode, demands, priority, attempt, losses, retry_count,
    failure_type, failure, input_tokens, output_tokens, cost_usd, created_at, queued_at, claimed_at, started_at, finished_at)
SELECT m.run_id, m.session_id, r.kind, m.agent_name, m.status, r.execution_mode, r.demands, r.priority, 1, 0, 0,
    CASE m.status WHEN 'failed' THEN 'timed_out' END, CASE m.status WHEN 'failed' THEN '{"type":"timed_out","message":"it took too long"}' END,
    900, 80, 0.001, m.at, m.at, m.at + 1000, m.at + 2000, m.at + m.taken
FROM made m, template t JOIN runs r ON r.id = t.id;
INSERT INTO assignments (run_id, blueprint, parameters, contract, model, project_dir, retry_prompt)
SELECT m.run_id, a.blueprint, a.parameters, a.contract, a.model, a.project_dir, a.retry_prompt
FROM made m, template t JOIN assignments a ON a.run_id = t.id;
INSERT INTO run_inputs (run_id, preview, searched)
SELECT m.run_id, i.preview, replace(replace(i.searched, lower(t.id), m.run_id), lower(t.session_id), m.session_id)
FROM made m, template t JOIN run_inputs i ON i.run_id = t.id;
INSERT INTO outcomes (run_id, result_text, result_data, raw, validation)
SELECT m.run_id, o.result_text, x.text, NULL, o.validation
FROM made m JOIN texts x ON x.k = m.n % 100, template t JOIN outcomes o ON o.run_id = t.id WHERE m.status = 'completed';
INSERT INTO attempts (run_id, delivery, number, model, strategy, outcome, source, error_paths, error_keywords, record, input_tokens,
    output_tokens, cost_usd)
SELECT m.run_id, 1, k, 'model-' || m.n % 4, 'native', c.outcome, CASE c.outcome WHEN 'accepted' THEN 'text' END,
    CASE WHEN k < last THEN ARRAY['$.severity'] ELSE '{}' END, CASE WHEN k < last THEN ARRAY['enum'] ELSE '{}' END,
    json_build_object('number', k, 'delivery', 1, 'at', '2026-01-01T00:00:00Z', 'strategy', 'native', 'model', 'model-' || m.n % 4,
        'outcome', c.outcome, 'duration_ms', 900, 'text', '{"severity": "high", "summary": "nobody can log in"}')::text,
    900, 80, 0.001
FROM (SELECT *, CASE WHEN n % 10 = 0 THEN 2 ELSE 1 END AS last FROM made) m CROSS JOIN LATERAL generate_series(1, m.last) k
    CROSS JOIN LATERAL (
        SELECT CASE WHEN m.status = 'completed' AND k = m.last THEN 'accepted' ELSE 'schema_invalid' END AS outcome
    ) c;
-- The events of the template, in the order of the runs, with the text of the answer. Ids below those of the first transaction are free.
INSERT INTO events (id, at, session_id, run_id, kind, body)
SELECT m.n * 100 + e.place, m.at, m.session_id, CASE WHEN e.run_id IS NOT NULL THEN m.run_id END, e.kind,
    CASE e.kind WHEN 'message' THEN jsonb_build_object('type', 'message', 'role', 'assistant', 'text', x.text)::text ELSE e.body END
FROM made m JOIN texts x ON x.k = (m.n + 7) % 100, (
    SELECT e.*, row_number() OVER (ORDER BY e.id) AS place
    FROM template t JOIN events e ON e.session_id = t.session_id
) e;
VACUUM (ANALYZE);
CHECKPOINT;
