import { describe, expect, it } from 'vitest'
import { awaitBodies, retentionText } from '../../../../packages/console/ui/bodies/body-retention.ts'

describe('stored bodies', () => {
  it('are read again while they may still be written', async () => {
    const answers = [null, null, 'bodies']
    const { signal } = new AbortController()
    expect(await awaitBodies(async () => answers.shift() ?? null, Date.now(), signal, 1)).toBe('bodies')
  })

  it('are read once of a request that ended long ago, and not again by who has left', async () => {
    let reads = 0
    const read = async () => {
      reads++
      return null
    }
    const controller = new AbortController()
    expect(await awaitBodies(read, Date.now() - 60_000, controller.signal)).toBeNull()
    controller.abort()
    expect(await awaitBodies(read, Date.now(), controller.signal)).toBeNull()
    expect(reads).toBe(2)
  })

  it.each([
    [7 * 86_400_000, '7 days'],
    [86_400_000, '1 day'],
    [5_400_000, '1.5 hours'],
    [60_000, '60 seconds'],
  ])('are stored for %i ms: %s', (ms, text) => {
    expect(retentionText(ms)).toBe(text)
  })
})
