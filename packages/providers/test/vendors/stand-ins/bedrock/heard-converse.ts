import { dataInWords, type Heard, type HeardTurn } from '../heard.ts'
import { isFields } from '../shape.ts'
import type { Block, ConverseRequest } from './converse-request.ts'
import { isReasoning } from './converse-rules.ts'

/** What a request of Converse says. */
export function heardConverse(body: ConverseRequest): Heard {
  const { inferenceConfig = {}, toolConfig, additionalModelRequestFields: fields } = body
  const { any, tool } = toolConfig?.toolChoice ?? {}
  const specs = (toolConfig?.tools ?? []).flatMap(({ toolSpec }) => toolSpec ?? [])
  const schema = body.outputConfig?.textFormat?.structure.jsonSchema.schema
  const forced = isFields(fields?.tool_choice) ? fields.tool_choice : undefined
  const only = tool?.name ?? forced?.name
  return {
    system: (body.system ?? []).flatMap(({ text }) => text ?? []),
    turns: body.messages.map(({ role, content }) => turnOf(role, content)),
    tools: new Map(
      specs
        .filter(({ name }) => name === (only ?? name))
        .map(({ name, inputSchema }) => [name, inputSchema.json]),
    ),
    mustCall: any !== undefined || tool !== undefined || (forced !== undefined && forced.type !== 'auto'),
    schema: schema === undefined ? undefined : JSON.parse(schema),
    stop: inferenceConfig.stopSequences ?? [],
    maxTokens: inferenceConfig.maxTokens,
    thinks: isReasoning(fields),
  }
}

function turnOf(role: HeardTurn['role'], blocks: readonly Block[]): HeardTurn {
  return {
    role,
    texts: blocks.flatMap(({ text }) => text ?? []),
    calls: blocks.flatMap(({ toolUse }) => toolUse ?? []),
    results: blocks.flatMap(({ toolResult: result }) =>
      result === undefined
        ? []
        : [result.content.map(({ text, json }) => text ?? JSON.stringify(json)).join('')],
    ),
    attached: blocks.flatMap(({ image, document }) => {
      if (image !== undefined) return [dataInWords(`image/${image.format}`, image.source.bytes ?? '')]
      if (document === undefined) return []
      return [dataInWords(`application/${document.format}`, document.source.bytes ?? '')]
    }),
  }
}
