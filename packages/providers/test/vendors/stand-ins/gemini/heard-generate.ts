import { dataInWords, type Heard, type HeardTurn, joined } from '../heard.ts'
import type { Content, GenerateRequest } from './generate-request.ts'

/** What a request of generateContent says. */
export function heardGenerate(body: GenerateRequest): Heard {
  const { generationConfig: config = {}, toolConfig } = body
  const { mode = 'AUTO', allowedFunctionNames: allowed } = toolConfig?.functionCallingConfig ?? {}
  const declared = (body.tools ?? []).flatMap(tool => tool.functionDeclarations)
  const callable = declared.filter(({ name }) => mode !== 'NONE' && (allowed?.includes(name) ?? true))
  const json = config.responseMimeType === 'application/json'
  return {
    system: textsOf(body.systemInstruction),
    turns: body.contents.map(turnOf).reduce<HeardTurn[]>(joined, []),
    tools: new Map(
      callable.map(({ name, parameters, parametersJsonSchema }) => [
        name,
        parametersJsonSchema ?? parameters ?? { type: 'object' },
      ]),
    ),
    mustCall: mode === 'ANY',
    schema: json ? (config.responseJsonSchema ?? config.responseSchema ?? {}) : undefined,
    stop: config.stopSequences ?? [],
    maxTokens: config.maxOutputTokens,
    thinks: config.thinkingConfig !== undefined && config.thinkingConfig.thinkingBudget !== 0,
  }
}

function turnOf(content: Content): HeardTurn {
  return {
    role: content.role === 'model' ? 'assistant' : 'user',
    texts: textsOf(content),
    calls: content.parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ name: call.name, input: call.args ?? {} }],
    ),
    results: content.parts.flatMap(({ functionResponse: result }) =>
      result === undefined ? [] : [resultText(result.response)],
    ),
    attached: content.parts.flatMap(({ inlineData: data }) =>
      data === undefined ? [] : [dataInWords(data.mimeType, data.data)],
    ),
  }
}

/** A result is an object here; text that a caller gave stands in one of its members. */
function resultText(response: object): string {
  const values = Object.values(response)
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : JSON.stringify(response)
}

function textsOf(content: Content | null | undefined): string[] {
  return (content?.parts ?? []).flatMap(({ text, thought }) =>
    text === undefined || text === '' || thought === true ? [] : [text],
  )
}
