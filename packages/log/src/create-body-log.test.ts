import { ConfigurationError, type GatewayEvent } from '@sluice/core'
import type { RecordedBodies, StoredBodies } from '@sluice/core/store'
import { bodyLogConformance } from '@sluice/testing/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RequestLogLoss } from './batch-writer.ts'
import { BodyKeyError } from './body-cipher.ts'
import { type BodyLog, type CreateBodyLogOptions, createBodyLog } from './create-body-log.ts'
import { inMemoryBodyLog } from './in-memory-body-log.ts'

const key = new Uint8Array(32).fill(7)
const other = Buffer.from(new Uint8Array(32).fill(8)).toString('base64')
const hour = 3_600_000

function opened(options: Partial<CreateBodyLogOptions> = {}): BodyLog {
  const log = createBodyLog({ repository: inMemoryBodyLog(), key, retentionMs: hour, ...options })
  onTestFinished(() => log.close())
  return log
}

let made = 0
function bodies(changes: Partial<RecordedBodies> = {}): RecordedBodies {
  made += 1
  return {
    requestId: `req_${made}`,
    at: Date.now(),
    principal: { id: 'ann', source: 'api_keys' },
    operation: 'generate',
    dialect: 'chat',
    path: '/v1/chat/completions',
    model: 'm',
    stream: false,
    status: 200,
    outcome: 'completed',
    request: '{"model":"m","messages":[{"role":"user","content":"my secret prompt"}]}',
    response: '{"choices":[{"message":{"content":"my secret answer 🙂 \ud83d"}}]}',
    requestOmitted: false,
    responseTruncated: false,
    ...changes,
  }
}

describe('inMemoryBodyLog', () => {
  it.each(bodyLogConformance.filter(({ name }) => !name.includes('texts')))('$name', ({ run }) =>
    run(async () => inMemoryBodyLog()),
  )
})

describe('createBodyLog', () => {
  it('stores bodies encrypted, and returns them as they were', async () => {
    const repository = inMemoryBodyLog()
    const log = opened({ repository })
    const given = [bodies(), bodies({ principal: { id: 'bob' }, request: undefined, requestOmitted: true })]
    for (const each of given) log.record(each)
    await log.flush()
    expect(log.stats()).toEqual({ written: 2, lost: 0, pending: 0 })
    for (const each of given) expect(await log.get(each.requestId)).toEqual(each)
    expect(await log.get('req_other')).toBeUndefined()
    const stored = JSON.stringify([...repository.rows.values()])
    for (const secret of [
      'secret',
      'chat/completions',
      Buffer.from('my secret').toString('base64').slice(0, 11),
    ]) {
      expect(stored).not.toContain(secret)
    }
    const [first, second] = [...repository.rows.values()]
    expect(first!.sealed.slice(0, 16)).not.toBe(second!.sealed.slice(0, 16))
  })

  it('returns bodies of earlier keys, and names the key that is missing', async () => {
    const repository = inMemoryBodyLog()
    const before = opened({ repository })
    const old = bodies()
    before.record(old)
    await before.flush()
    const after = opened({ repository, key: other, previousKeys: [key] })
    const young = bodies()
    after.record(young)
    await after.flush()
    expect(await after.get(old.requestId)).toEqual(old)
    expect(await after.get(young.requestId)).toEqual(young)
    const reading = opened({ repository, key: other }).get(old.requestId)
    await expect(reading).rejects.toThrow(BodyKeyError)
    const { keyId } = repository.rows.get(old.requestId)!
    await expect(before.get(young.requestId)).rejects.toThrow(/with another key/)
    await expect(opened({ repository, key: other }).get(old.requestId)).rejects.toThrow(keyId)
  })

  it.each<[string, Partial<StoredBodies>]>([
    ['another request', { id: 'req_moved' }],
    ['another principal', { principal: 'eve' }],
    ['another source', { source: null }],
    ['another time', { at: Date.now() + 5 }],
    ['changed text', { sealed: Buffer.from('x'.repeat(80)).toString('base64') }],
    ['no base64', { sealed: '%%%' }],
  ])('rejects a row with %s', async (_, change) => {
    const repository = inMemoryBodyLog()
    const log = opened({ repository })
    const given = bodies()
    log.record(given)
    await log.flush()
    const changed = { ...repository.rows.get(given.requestId)!, ...change }
    repository.rows.set(changed.id, changed)
    await expect(log.get(changed.id)).rejects.toThrow(/was changed or is damaged/)
  })

  it('stores what redact leaves, and nothing where it fails', async () => {
    const losses: RequestLogLoss[] = []
    const log = opened({
      redact: text => {
        if (text.includes('boom')) throw new Error('boom')
        return text.replaceAll('secret', '***')
      },
      onLost: loss => losses.push(loss),
    })
    const [fine, broken] = [bodies(), bodies({ response: 'boom' })]
    log.record(fine)
    log.record(broken)
    await log.flush()
    expect(JSON.stringify(await log.get(fine.requestId))).not.toContain('secret')
    expect(await log.get(broken.requestId)).toBeUndefined()
    await log.close()
    expect(losses).toEqual([{ reason: 'redact_failed', rows: 1 }])
  })

  it('does not return what is older than its retention, and deletes it', async () => {
    const repository = inMemoryBodyLog()
    const log = opened({ repository })
    const [old, young] = [bodies({ at: Date.now() - hour - 1 }), bodies()]
    log.record(old)
    log.record(young)
    await log.flush()
    expect(repository.rows.size).toBe(2)
    expect(await log.get(old.requestId)).toBeUndefined()
    expect(await log.applyRetention()).toBe(1)
    expect([...repository.rows.keys()]).toEqual([young.requestId])
  })

  it('deletes the bodies of a principal, those that wait too', async () => {
    const log = opened()
    const [own, others] = [bodies(), bodies({ principal: { id: 'ann', source: 'jwt' } })]
    log.record(own)
    log.record(others)
    expect(await log.deletePrincipal({ id: 'ann', source: 'api_keys' })).toBe(1)
    expect(await log.get(own.requestId)).toBeUndefined()
    expect(await log.get(others.requestId)).toEqual(others)
  })

  it('loses bodies beyond its bound while the database fails, and reports both', async () => {
    const events: GatewayEvent[] = []
    const losses: RequestLogLoss[] = []
    let fails = true
    const repository = inMemoryBodyLog()
    const log = opened({
      repository: {
        ...repository,
        insert: async rows => {
          if (fails) throw new Error('down')
          await repository.insert(rows)
        },
      },
      maxPendingBytes: 3_000,
      observe: event => events.push(event),
      onLost: loss => losses.push(loss),
    })
    for (let count = 0; count < 5; count++) log.record(bodies({ response: 'x'.repeat(600) }))
    await expect.poll(() => events).toMatchObject([{ type: 'store', store: 'bodies', state: 'failing' }])
    expect(log.stats()).toMatchObject({ written: 0, lost: 3, pending: 2 })
    fails = false
    await log.flush()
    expect(events.at(-1)).toMatchObject({ state: 'working' })
    expect(repository.rows.size).toBe(2)
    await log.close()
    expect(losses).toEqual([{ reason: 'full', rows: 3 }])
    expect(events.at(-1)).toEqual({ type: 'log_bodies_lost', reason: 'full', rows: 3 })
  })

  it('names invalid options, and shows no key', () => {
    const valid = { repository: inMemoryBodyLog(), key, retentionMs: 1 }
    const invalid: [object, RegExp][] = [
      [{ ...valid, key: 'c2VjcmV0LXNlY3JldA==' }, /key.*32 random bytes/],
      [{ ...valid, key: 'not base64 %' }, /key/],
      [{ ...valid, key: undefined }, /key/],
      [{ ...valid, previousKeys: [new Uint8Array(16)] }, /previousKeys/],
      [{ repository: valid.repository, key }, /retentionMs/],
      [{ ...valid, retentionMs: 0 }, /retentionMs/],
      [{ ...valid, redact: 1 }, /redact/],
      [{ ...valid, repository: {} }, /repository/],
      [{ ...valid, keys: [] }, /keys/],
    ]
    for (const [options, message] of invalid) {
      const create = () => createBodyLog(options as CreateBodyLogOptions)
      expect(create).toThrow(ConfigurationError)
      expect(create).toThrow(message)
      expect(create).not.toThrow(/c2VjcmV0/)
    }
  })
})
