import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { fencesOf, pages, root } from './runner/markdown.ts'

describe('the snippets in TypeScript', () => {
  it('are sound in their types, as a strict project sees them', () => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-types-'))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const fences = pages.flatMap(fencesOf).filter(({ language }) => language === 'ts')
    expect(fences.length).toBeGreaterThan(30)
    const places = new Map<string, string>()
    for (const [index, { page, line, name, code }] of fences.entries()) {
      // Snippets of a page are files beside each other: one can import another by its name.
      const beside = join(folder, page.replaceAll('/', '-'))
      mkdirSync(beside, { recursive: true })
      const named = join(beside, `${name}.ts`)
      const file = /^[\w-]+$/.test(name) && !places.has(named) ? named : join(beside, `snippet-${index}.ts`)
      places.set(file, `${page}:${line} ${name}`)
      writeFileSync(file, code)
    }
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent(
      { ...config, files: [], include: undefined },
      ts.sys,
      root,
    )
    const program = ts.createProgram([...places.keys()], {
      ...options,
      typeRoots: [join(root, 'node_modules/@types')],
    })
    const faults = [...places].flatMap(([file, place]) => {
      const source = program.getSourceFile(file)
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      )
    })
    rmSync(folder, { recursive: true })
    expect(faults).toEqual([])
  })
})
