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
