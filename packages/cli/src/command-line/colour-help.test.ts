import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { colourHelp } from './colour-help.ts'

const help = `Usage: sluice greet NAME

  NAME          who is greeted
  --loud LEVEL  how loud
                Default: 1

Example: sluice greet Ann
Documentation: https://docs.example/greet`

it('colours labels, the first column and links, and changes no letter', () => {
  const coloured = colourHelp(help)
  expect(stripVTControlCharacters(coloured)).toBe(help)
  expect(coloured).toContain('\u001B[1mUsage:\u001B[22m sluice greet NAME')
  expect(coloured).toContain('  \u001B[36m--loud LEVEL\u001B[39m  how loud')
  expect(coloured).toContain('                Default: 1')
  expect(coloured).toContain('\u001B[4mhttps://docs.example/greet\u001B[24m')
})
