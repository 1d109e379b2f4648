import { describe, expect, it } from 'vitest'
import type { LimitRuleData } from '../../src/contracts/principal.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { budget, requests } from '../../src/rate-limiting/rule.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'

// Limits and budgets by the end user that a request names, in every dialect.

const paths = { chat: 'chat/completions', messages: 'messages', responses: 'responses' } as const
type Name = keyof typeof paths

function serve(...rules: readonly LimitRuleData[]) {
  const { gateway } = serving(scripted(() => whole('Hi.')).target, {
    authenticate: request => ({ id: request.headers.get('x-name') ?? 'ann' }),
    limits: limits(rules),
    prices: ({ completion_tokens }) => completion_tokens * 0.01,
  })
  return async (dialect: Name, user?: string, name = 'ann') => {
    const prompt = dialect === 'responses' ? { input: 'Hi' } : { messages: [{ role: 'user', content: 'Hi' }] }
    const bound = dialect === 'responses' ? { max_output_tokens: 20 } : { max_tokens: 20 }
    const end = dialect === 'messages' ? { metadata: { user_id: user } } : { user }
    const answer = await gateway.fetch(
      new Request(`http://sluice.test/v1/${paths[dialect]}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-name': name },
        body: JSON.stringify({ model: 'm', ...prompt, ...bound, ...(user !== undefined && end) }),
      }),
    )
    return { status: answer.status, text: await answer.text() }
  }
}

describe('a budget by user', () => {
  it('is that of one user of one principal, over all dialects', async () => {
    // Each request reserves 20 cents and spends 2.
    const ask = serve(budget(0.23, 'usd').per('day').by('user'))
    expect((await ask('chat', 'u')).status).toBe(200)
    expect((await ask('messages', 'u')).status).toBe(200)
    const refused = await ask('responses', 'u')
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('insufficient_quota')
    expect(refused.text).not.toContain('"u"')
    expect((await ask('chat', 'v')).status).toBe(200)
    expect((await ask('chat', 'u', 'bob')).status).toBe(200)
    expect((await ask('chat')).status).toBe(200)
  })
})

describe('a limit by user', () => {
  it('is no way around the limits of the principal', async () => {
    const ask = serve(requests(3).per('day'), requests(2).per('day').by('user'))
    const statuses: number[] = []
    for (const user of ['a', 'b', 'c', 'd']) statuses.push((await ask('chat', user)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  it('counts the requests that name no user together', async () => {
    const ask = serve(requests(1).per('day').by('user'))
    expect([(await ask('chat')).status, (await ask('messages', '')).status]).toEqual([200, 429])
  })
})
