import { describe, expect, it } from 'vitest'
import { scripted, serving, whole } from '../../test/support/scripted-gateway.ts'
import type { ParameterOverrides } from '../contracts/provider.ts'
import { issueText, optionPathText } from '../errors/configuration-error.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { overrideSettings, overridesIssue } from './overridden-settings.ts'

const asked = (fields: Partial<ChatRequest> = {}): ChatRequest => ({ model: 'm', messages: [], ...fields })

describe("a target's own parameters", () => {
  it('stand in the place of the caller’s, and are told', () => {
    const given = asked({ temperature: 1, seed: 7, stop: 'x' })
    const parameters = {
      temperature: 0,
      seed: null,
      stop: ['y'],
      reasoning_effort: 'low',
      user: 'us',
    } as const
    const { settings, adjustments } = overrideSettings(given, parameters)
    expect(settings).toEqual({
      model: 'm',
      messages: [],
      temperature: 0,
      stop: ['y'],
      reasoning_effort: 'low',
      user: 'us',
    })
    expect(adjustments).toEqual([
      { parameter: 'temperature', action: 'mapped', detail: '0' },
      { parameter: 'seed', action: 'dropped', detail: 'not sent to this model' },
      { parameter: 'stop', action: 'mapped' },
      { parameter: 'reasoning_effort', action: 'mapped', detail: 'low' },
      // What names somebody is not told.
      { parameter: 'user', action: 'mapped' },
    ])
    expect(given).toEqual(asked({ temperature: 1, seed: 7, stop: 'x' }))
  })

  it('are not told where they change nothing', () => {
    const given = asked({ temperature: 0 })
    expect(overrideSettings(given, { temperature: 0, seed: null, top_p: undefined } as never)).toEqual({
      settings: given,
      adjustments: [],
    })
  })

  it.each<[Partial<ChatRequest>, number, Partial<ChatRequest>]>([
    [{}, 50, { max_completion_tokens: 50 }],
    [{ max_completion_tokens: 100 }, 50, { max_completion_tokens: 50 }],
    [{ max_completion_tokens: 20 }, 50, { max_completion_tokens: 20 }],
    [{ max_tokens: 100 }, 50, { max_tokens: 50 }],
    [{ max_tokens: 20 }, 50, { max_tokens: 20 }],
  ])('lower a bound and never raise it: %o by %i', (given, bound, expected) => {
    const { settings, adjustments } = overrideSettings(asked(given), { max_completion_tokens: bound })
    expect(settings).toEqual(asked(expected))
    const [parameter, value] = Object.entries(expected)[0]!
    const lowered = value === 50 ? [{ parameter, action: 'mapped', detail: '50' }] : []
    expect(adjustments).toEqual(lowered)
  })

  it.each<[object, RegExp]>([
    [{ temperature: 3 }, /temperature/],
    [{ temperature: '0' }, /temperature/],
    [{ messages: [] }, /messages: got an empty list, expected no such option/],
    [{ max_completion_tokens: null }, /max_completion_tokens: got null/],
    [{ reasoning_effort: 'much' }, /reasoning_effort/],
  ])('are refused where a request cannot have them: %o', (parameters, words) => {
    const issue = overridesIssue(parameters as ParameterOverrides)!
    expect(`${optionPathText(issue.path)}: ${issueText(issue)}`).toMatch(words)
    expect(() => overrideSettings(asked(), parameters as ParameterOverrides)).toThrow(words)
  })

  it('are each target’s, and of those that the answer is of the caller hears', async () => {
    const down = scripted(() => Promise.reject(new Error('down')))
    const good = scripted(() => whole('hi'))
    const { post, ends } = serving([
      { ...down.target, model: 'a', parameters: { temperature: 0 } },
      { ...good.target, model: 'b', parameters: { top_p: 0.5 } },
    ])
    const response = await post({ temperature: 1 })
    expect(down.inputs).toMatchObject([{ temperature: 0 }])
    expect(good.inputs).toMatchObject([{ temperature: 1, top_p: 0.5 }])
    expect(response.headers.get('x-sluice-adjustments')).toContain('top_p')
    expect(ends()[0]?.adjustments).toEqual([{ parameter: 'top_p', action: 'mapped', detail: '0.5' }])
  })
})
