import type { Hook } from '@sluice/core'
import { type HookSamples, hookConformance } from '@sluice/testing/conformance'
import { describe, it } from 'vitest'
import { redact, requireJson, systemPrompt, webhook } from '../src/index.ts'

/** An endpoint that hides a word, and refuses another one. */
const endpoint: typeof fetch = async (_, init) => {
  const { type, texts, choices } = JSON.parse(String(init!.body)) as {
    type: 'request' | 'response'
    texts?: { path: (string | number)[]; text: string }[]
    choices?: { choice: number; text: string | null }[]
  }
  const all = (texts ?? choices)!.map(({ text }) => text ?? '')
  if (all.some(text => text.includes('forbidden')))
    return Response.json({ refuse: { message: 'Forbidden.' } })
  if (!all.some(text => text.includes('secret'))) return Response.json({ allow: true })
  const hidden = (text: string | null) => (text ?? '').replaceAll('secret', '***')
  return type === 'request'
    ? Response.json({ edits: texts!.map(({ path, text }) => ({ path, value: hidden(text) })) })
    : Response.json({ texts: choices!.map(({ choice, text }) => ({ choice, text: hidden(text) })) })
}

const personal = [
  'I am ann@example.com, and my card is 4111 1111 1111 1111.',
  'Pay from DE89 3704 0044 0532 0130 00, or call +49 30 901820.',
  `The key is ghp_${'a1B2'.repeat(9)}, and [EMAIL_1] is a text of mine.`,
  'The weather is fine.',
]

const hooks: Readonly<Record<string, HookSamples & { readonly make: () => Hook }>> = {
  redact: {
    make: () => redact(),
    requests: personal,
    responses: ['Hello [EMAIL_1], not [EMAIL_2] or [EMAIL_', 'Charged [CARD_1]. 😀', ''],
  },
  'redact, both directions': {
    make: () => redact({ direction: 'both' }),
    requests: personal,
    responses: [
      ...personal,
      'Hello [EMAIL_1], not bob@example.com',
      `{"a":"${'-'.repeat(400)}ann@example.com"}`,
    ],
  },
  systemPrompt: { make: () => systemPrompt('Be brief.'), requests: personal },
  requireJson: {
    make: () => requireJson(),
    requests: personal,
    responses: ['{"a":1}', '```json\n{"a": "😀"}\n```', '[1]'],
    plain: '[1, 2]',
  },
  webhook: {
    make: () =>
      webhook({
        url: 'https://hooks.example.com',
        secret: 'a-secret-of-the-tests',
        direction: 'both',
        fetch: endpoint,
      }),
    requests: ['a secret', 'nothing'],
    responses: ['a secret', 'forbidden', ''],
  },
}

describe.each(Object.entries(hooks))('%s', (_, { make, ...samples }) => {
  for (const { name, run } of hookConformance(samples)) it(name, () => run(make))
})
