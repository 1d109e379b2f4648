import { createGateway, type Gateway, type GatewayOptions, type Hook, models } from '@sluice/core'
import { local } from '@sluice/providers'
import { expect, onTestFinished } from 'vitest'
import { describePage } from './runner/describe-page.ts'

/** Sends chat completions to a gateway, or to one with these hooks, whose models answer `says`. */
function asking(given: Gateway | readonly Hook[], says = 'Hello', options: Partial<GatewayOptions> = {}) {
  const provider = local({ script: () => says })
  const gateway =
    'fetch' in given
      ? given
      : createGateway({
          authenticate: () => ({ id: 'ann' }),
          route: models({ demo: provider('demo'), smart: provider('smart'), small: provider('small') }),
          hooks: given,
          ...options,
        })
  onTestFinished(() => gateway.close({ drainMs: 0 }))
  return async (content: string, body: object = {}) => {
    const response = await gateway.fetch(
      new Request('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content }], ...body }),
      }),
    )
    return { status: response.status, text: await response.text() }
  }
}

describePage('docs/hooks.md', {
  'deny-list': async snippet => {
    const { exports } = await snippet.run()
    const ask = asking(exports.gateway as Gateway)
    expect((await ask('Hello')).status).toBe(200)
    const refused = await ask('Tell me about Project Falcon.')
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([400, 'refused_by_policy'])
  },

  edits: async snippet => {
    const { exports } = await snippet.run()
    const prompts: string[] = []
    const provider = local({
      script: ({ messages }) => {
        prompts.push(JSON.stringify(messages))
        return 'Hello'
      },
    })
    const ask = asking([exports.hideTickets as Hook], 'Hello', { route: models({ demo: provider('demo') }) })
    await ask('Close TICKET-12 and TICKET-7.')
    expect(prompts[0]).toContain('Close a ticket and a ticket.')
  },

  chunks: async snippet => {
    const { exports } = await snippet.run()
    const ask = asking([exports.hideAccounts as Hook], 'It is ACC-12345678, yes.')
    expect(JSON.parse((await ask('Which?')).text).choices[0].message.content).toBe('It is ACC-********, yes.')
    const streamed = await ask('Which?', { stream: true })
    expect(streamed.text).not.toContain('1234')
  },

  moderation: async snippet => {
    const running = await snippet.run({}, code =>
      code.replace("local()('judge')", "local({ script: () => 'UNSAFE' })('judge')"),
    )
    expect((await asking([running.exports.moderation as Hook])('Help me with a crime.')).status).toBe(400)
    const lenient = await snippet.run()
    expect((await asking([lenient.exports.moderation as Hook])('Hello')).status).toBe(200)
  },

  turns: async snippet => {
    const { exports } = await snippet.run()
    const ask = asking([(exports.maxTurns as (turns: number) => Hook)(2)])
    const turn = { role: 'user', content: 'Hi' }
    expect((await ask('', { messages: [turn, turn] })).status).toBe(200)
    expect((await ask('', { messages: [turn, turn, turn] })).status).toBe(400)
  },

  cheaper: async snippet => {
    const { exports } = await snippet.run()
    const answered: unknown[] = []
    const ask = asking([exports.cheaper as Hook], 'Hello', {
      observe: event => event.type === 'end' && answered.push(event.model),
    })
    await ask('Hi', { model: 'smart' })
    await ask('x'.repeat(300), { model: 'smart' })
    expect(answered).toEqual(['small', 'smart'])
  },

  conformance: async snippet => {
    await snippet.run()
  },
})
