/** The database's own clock, in milliseconds since 1970. */
const now = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)"

/** The columns of an entry, and the fields of a `StoredEntry` with their values. */
const entryColumns = `kind, id, request_id, operation, dialect, principal, source, end_user, tags, model, stream, opened_at,
  prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, cost, seen_at`
const entryValues = `value->>'$.kind', value->>'$.id', value->>'$.requestId', value->>'$.operation', value->>'$.dialect',
  value->>'$.principal', value->>'$.source', value->>'$.user', value->'$.tags',
  value->>'$.model', value->>'$.stream', value->>'$.openedAt',
  value->>'$.promptTokens', value->>'$.completionTokens', value->>'$.cachedTokens', value->>'$.reasoningTokens',
  value->>'$.nanoDollars', ${now}`

/** Takes a JSON list of `StoredEntry`. `WHERE true` keeps the parser from reading ON as a part of a join. */
export const insertEntries = `INSERT INTO sluice_record (${entryColumns}, estimated)
SELECT ${entryValues}, 0 FROM json_each(?) WHERE true
ON CONFLICT (id) DO NOTHING`

/** Takes a JSON list of `StoredClosing`. The charge of a closing replaces the estimate of its entry. */
export const insertClosings = `INSERT INTO sluice_record (${entryColumns},
  estimated, closed_at, outcome, status, provider, upstream_model, response_model, attempts, hooks, first_byte_ms, total_ms)
SELECT ${entryValues},
  value->>'$.estimated', value->>'$.closedAt', value->>'$.outcome', value->>'$.status', value->>'$.provider',
  value->>'$.upstreamModel', value->>'$.responseModel', value->>'$.attempts', value->>'$.hooks',
  value->>'$.firstByteMs', value->>'$.totalMs'
FROM json_each(?) WHERE true
ON CONFLICT (id) DO UPDATE SET
  ${[
    'seen_at',
    'prompt_tokens',
    'completion_tokens',
    'cached_tokens',
    'reasoning_tokens',
    'cost',
    'estimated',
    'closed_at',
    'outcome',
    'status',
    'provider',
    'upstream_model',
    'response_model',
    'attempts',
    'hooks',
    'first_byte_ms',
    'total_ms',
  ]
    .map(column => `${column} = excluded.${column}`)
    .join(', ')}
WHERE sluice_record.status IS NULL`

/** Takes a JSON list of `StoredProgress`. */
export const updateProgress = `UPDATE sluice_record SET
  seen_at = ${now},
  prompt_tokens = coalesce(progress.prompt_tokens, sluice_record.prompt_tokens),
  completion_tokens = coalesce(progress.completion_tokens, sluice_record.completion_tokens),
  cached_tokens = coalesce(progress.cached_tokens, sluice_record.cached_tokens),
  reasoning_tokens = coalesce(progress.reasoning_tokens, sluice_record.reasoning_tokens),
  cost = CASE WHEN progress.prompt_tokens IS NULL THEN sluice_record.cost ELSE progress.cost END
FROM (
  SELECT value->>'$.id' AS id,
    value->>'$.charge.promptTokens' AS prompt_tokens,
    value->>'$.charge.completionTokens' AS completion_tokens,
    value->>'$.charge.cachedTokens' AS cached_tokens,
    value->>'$.charge.reasoningTokens' AS reasoning_tokens,
    value->>'$.charge.nanoDollars' AS cost
  FROM json_each(?)
) AS progress
WHERE sluice_record.id = progress.id AND closed_at IS NULL`

/** Takes milliseconds. */
export const closeOrphans = `UPDATE sluice_record SET closed_at = ${now}, outcome = 'lost', estimated = 1
WHERE closed_at IS NULL AND seen_at <= ${now} - ?`

/** Takes a JSON list of ids. Also deletes a record that the orphan sweep has closed as `lost`. */
export const deleteCancelled = `DELETE FROM sluice_record
WHERE id IN (SELECT value FROM json_each(?)) AND (closed_at IS NULL OR outcome = 'lost')`

/** Takes an id, a source or NULL, and how many records to delete at most. */
export const deletePrincipal = `DELETE FROM sluice_record
WHERE row IN (SELECT row FROM sluice_record WHERE principal = ? AND source IS ? LIMIT ?)`
