import { type Preset, type ProviderFields, presets } from '@sluice/providers'
import { azureAnswerFields, openaiAnswerFields } from '../../../packages/providers/src/answer-fields.ts'
import { table } from './markdown-table.ts'

const levels = ['response', 'choice', 'message', 'usage'] as const

/** The fields beyond the protocol that answers keep, for each provider that declares some. */
export function providerFieldsTable(): string {
  const all: readonly [string, ProviderFields | undefined][] = [
    ['openai', openaiAnswerFields],
    ['azure', azureAnswerFields],
    ...Object.values(presets).map(
      ({ name, providerFields }: Preset): [string, ProviderFields | undefined] => [name, providerFields],
    ),
  ]
  const declared = all.filter(([, fields]) => fields !== undefined)
  return table(
    'Provider',
    levels.map(level => [`\`${level}\``, declared.map(([, fields]) => namesOf(fields?.[level]))]),
    declared.map(([name]) => `\`${name}\``),
  )
}

function namesOf(fields: readonly string[] = []): string {
  return fields.map(name => `\`${name}\``).join(', ')
}
