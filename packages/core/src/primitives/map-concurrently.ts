/** Maps items in order, at most `limit` concurrently. Rejects with the first failure, and then starts no further item. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let next = 0
  let failed = false
  const work = async () => {
    while (next < items.length && !failed) {
      const at = next++
      try {
        results[at] = await map(items[at]!)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
