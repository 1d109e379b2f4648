import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { type AnthropicModel, anthropic, azure, openai, type ProviderInstance } from './index.ts'

describe('the models of a vendor', () => {
  it('may have any name, and be passed on as those of any vendor', () => {
    const place = openai({ apiKey: 'k' })('a-model-of-tomorrow' as string)
    expect(place.model).toBe('a-model-of-tomorrow')
    expectTypeOf(anthropic({ apiKey: 'k' })).toExtend<ProviderInstance>()
    expectTypeOf<'claude-sonnet-4-5'>().toExtend<AnthropicModel>()
    expectTypeOf<'gpt-4.1'>().not.toExtend<AnthropicModel>()
    const vendors: readonly ProviderInstance[] = [
      openai({ apiKey: 'k' }),
      azure({ resource: 'r', apiKey: 'k' }),
    ]
    expect(vendors).toHaveLength(2)
  })

  it.each([
    ['openai()', 'gpt-4.1'],
    ['anthropic()', 'claude-sonnet-4-5'],
    ['gemini()', 'gemini-2.5-flash'],
    ["vertex({ project: 'p', location: 'l', token: 't' })", 'claude-sonnet-4@20250514'],
    ['bedrock()', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['groq()', 'llama-3.3-70b-versatile'],
    ['mistral()', 'mistral-large-latest'],
    ['openrouter()', 'anthropic/claude-sonnet-4'],
  ])('are completed in an editor: %s', (call, model) => {
    const names = completionsOf(`${call}('')`)
    expect(names).toContain(model)
  })
})

const folder = dirname(fileURLToPath(import.meta.url))
const file = resolve(folder, 'editor.ts')
let text = ''
let version = 0
const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  customConditions: ['@sluice/source'],
  skipLibCheck: true,
  types: [],
}
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [file],
  getScriptVersion: name => (name === file ? String(version) : '1'),
  getScriptSnapshot: name => {
    const source = name === file ? text : ts.sys.readFile(name)
    return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source)
  },
  getCurrentDirectory: () => folder,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: name => name === file || ts.sys.fileExists(name),
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
})

/** What an editor offers between the last quotes. */
function completionsOf(expression: string): string[] {
  const names = 'openai, anthropic, gemini, vertex, bedrock, groq, mistral, openrouter'
  text = `import { ${names} } from './index.ts'\n${expression}\n`
  version++
  const found = service.getCompletionsAtPosition(file, text.lastIndexOf("''") + 1, {})
  return found?.entries.map(({ name }) => name) ?? []
}
