import { createGateway, models, type Target } from '@sluice/core'
import { serve } from '@sluice/node'

/** A gateway in a process of its own, whose answers take a few milliseconds; `run-stops.ts` starts and stops it. */
const target: Target = {
  model: 'up',
  provider: {
    name: 'quick',
    encode: () => ({ method: 'POST', url: 'quick:', headers: {} }),
    transport: async () => ({ status: 200, headers: { get: () => null }, body: (async function* () {})() }),
    decode: async () => {
      await new Promise(resolve => setTimeout(resolve, 2))
      const choices = [{ index: 0, message: { content: 'Hi.' }, finish_reason: 'stop' as const }]
      return { kind: 'completion', completion: { choices } }
    },
  },
}
const gateway = createGateway({ authenticate: () => ({ id: 'ann' }), route: models({ m: target }) })
const { port } = await serve(gateway, { port: 0 })
process.send?.(port)
