import type { RestoredState } from '../../contracts/draft.ts'

const itemPath = /^input\[(\d+)\]/

/**
 * Returns the path in the request that the caller sent, for one in the restored request: the items before its own are those of
 * `previous_response_id`.
 */
export function ownPath(path: string, restored: RestoredState | undefined): string {
  if (restored === undefined) return path
  const [all, index] = itemPath.exec(path) ?? []
  if (all === undefined) return path
  const own = Number(index) - restored.items
  if (own < 0) return 'previous_response_id'
  return restored.isText ? 'input' : `input[${own}]${path.slice(all.length)}`
}

/** Returns the path of a turn for an item of the restored request, which others add to: `input[0].content`. */
export function turnPathOf(index: number, restored: RestoredState | undefined): string {
  return ownPath(`input[${index}]`, restored)
}

const inRestored = /^previous_response_id\b/
const inText = /^input\b/

/** Returns the path in the request that the caller sent, for one that begins with that of a turn. */
export function trimmedTurnPath(path: string, restored: RestoredState | undefined): string {
  if (restored === undefined) return path
  if (inRestored.test(path)) return 'previous_response_id'
  return restored.isText && inText.test(path) ? 'input' : path
}
