import { expect, it, vi } from 'vitest'
import type { GatewayEvent } from '../../src/contracts/events.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { requests } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { scripted, whole } from '../support/scripted-gateway.ts'

const { target } = scripted(() => whole('Hi'))
const none = () => undefined

/** The messages of the warnings that a gateway begins with. */
function warningsOf(options: Partial<GatewayOptions>): readonly string[] {
  const events: GatewayEvent[] = []
  const given = { authenticate: none, route: models({ fast: target, 'acme/*': target }), ...options }
  createGateway({ ...given, observe: event => events.push(event) })
  return events.flatMap(event =>
    event.type === 'warning' && event.code === 'unknown_model_name' ? [event.message] : [],
  )
}

const onlyFast = models({ fast: target })
const rule = (...names: [string, ...string[]]) =>
  requests(1)
    .per('day')
    .forModels(...names)
const hook = (...names: string[]) => ({ name: 'moderate', models: names, onRequest: none })

it.each<[string, Partial<GatewayOptions>, readonly string[]]>([
  [
    'a list of rules',
    { limits: [rule('fsat')] },
    ["A limit is for the model 'fsat', and there is none. Did you mean 'fast'?"],
  ],
  ['one rule', { limits: rule('large') }, ["A limit is for the model 'large', and there is none."]],
  [
    'a limiter',
    { limits: limits([rule('large', 'fast')]) },
    ["A limit is for the model 'large', and there is none."],
  ],
  [
    'hooks',
    { hooks: [hook('fsat', 'fast')] },
    ["The hook 'moderate' is for the model 'fsat', and there is none. Did you mean 'fast'?"],
  ],
  ['names that a pattern of the table makes', { limits: [rule('acme/large')], hooks: [hook('acme/*')] }, []],
  [
    'patterns',
    { route: onlyFast, limits: [rule('fa*', 'slow*')] },
    ["A limit is for the model 'slow*', and there is none."],
  ],
  ['patterns beside those of the table', { limits: [rule('slow*')] }, []],
  ['a route of its own', { route: () => [], limits: [rule('large')] }, []],
  [
    'a limiter with other models',
    { limits: Object.assign(limits([]), { models: new Map([['large', 1]]) }) as never },
    [],
  ],
  ['rules for all models', { limits: [requests(1).per('day')] }, []],
])('warns at start of names of models that do not exist: %s', (_, options, messages) => {
  expect(warningsOf(options)).toEqual(messages)
})

it('warns on the console without an observer, of 20 names at most', () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(none)
  const names = Array.from({ length: 30 }, (_, index) => `none-${index}`)
  createGateway({
    authenticate: none,
    route: onlyFast,
    limits: [
      requests(1)
        .per('day')
        .forModels(...(names as [string])),
    ],
  })
  expect(warned).toHaveBeenCalledTimes(20)
})
