import { afterAll, expect, test } from 'vitest'
import { type Misbehaviour, misbehaviours, startMisbehavingUpstream } from './misbehaviours.ts'
import { connectRawClient } from './raw-client.ts'
import { requestBytes } from './request-text.ts'

/** What a raw client sees: how the connection ends, if it does, and whether a response comes whole. */
const expected: Record<
  Misbehaviour,
  readonly [end: 'end' | 'reset' | 'open', whole: boolean | 'none' | 'no HTTP']
> = {
  'hang-before-headers': ['open', 'none'],
  'hang-after-headers': ['open', 'none'],
  'hang-mid-stream': ['open', 'none'],
  drip: ['open', 'none'],
  'cut-before-headers': ['end', 'none'],
  'cut-within-headers': ['end', 'none'],
  'cut-mid-chunk': ['end', false],
  'cut-between-chunks': ['end', false],
  'cut-mid-body': ['end', false],
  'reset-before-headers': ['reset', 'none'],
  'reset-mid-stream': ['reset', false],
  'end-without-finish': ['open', true],
  'end-without-done': ['open', true],
  garbage: ['end', 'no HTTP'],
  'garbage-body': ['open', 'no HTTP'],
  html: ['open', true],
  'wrong-content-type': ['open', true],
  empty: ['open', true],
  'invalid-json': ['open', true],
  'invalid-json-event': ['open', true],
  'invalid-utf-8': ['open', true],
  'content-length-too-long': ['open', 'none'],
  'content-length-too-short': ['open', true],
  'flood-one-event': ['open', 'none'],
  flood: ['open', 'none'],
  'early-answer': ['end', true],
  'early-reset': ['reset', true],
  redirect: ['open', true],
  unsolicited: ['open', true],
  'error-first': ['open', true],
  'error-mid-stream': ['open', true],
}

const upstreams = await Promise.all(
  (Object.keys(misbehaviours) as Misbehaviour[]).map(
    async name => [name, await startMisbehavingUpstream(name)] as const,
  ),
)
afterAll(async () => {
  await Promise.all(upstreams.map(([, upstream]) => upstream.close()))
})

test.concurrent.each(upstreams)('%s, twice', async (name, upstream) => {
  for (const count of [1, 2]) {
    const client = await connectRawClient({ port: upstream.port })
    await client.send(requestBytes({ body: { model: 'm', messages: [], stream: true } }))
    await upstream.waitForRequest(count)
    const [end, whole] = expected[name]
    const response = client.response()
    if (end === 'open') await expect(client.waitForEnd(150)).rejects.toThrow('did not end')
    else expect(await client.waitForEnd()).toBe(end)
    const got = response.then(
      answer => answer?.complete ?? 'none',
      () => 'no HTTP',
    )
    const late = new Promise(resolve => setTimeout(resolve, 50, 'none'))
    const outcome = whole === 'none' ? await Promise.race([got, late]) : await got
    expect(outcome).toBe(whole)
    await client.close()
  }
  await upstream.waitForIdle()
})
