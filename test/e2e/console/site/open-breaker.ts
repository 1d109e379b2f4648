import { type ConsoleService, callerKey } from './service.ts'

/** Opens the circuit breaker of `broken` for everybody: with one caller alone it would be open for that one only. */
export async function openBreaker({ ask, keys }: ConsoleService): Promise<void> {
  const { key: other } = await keys.issue({ name: 'Another caller' })
  for (const key of [other, callerKey]) {
    for (let left = 4; left > 0; left--) await ask('broken', { key })
  }
}
