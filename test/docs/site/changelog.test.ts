import { expect, it } from 'vitest'
import { parseChange, unreleasedChanges } from '../../../scripts/site/changelog.ts'
import { moduleName } from '../../../scripts/site/module-names.mjs'
import { pages } from '../../../scripts/site/repository.ts'

it('lists unreleased changes by package, and those of several packages once', () => {
  const changes = [
    "---\n'@sluice/core': minor\n---\n\nA new\noption.\n",
    '---\n"@sluice/core": minor\n"@sluice/redis": patch\n---\n\nBoth.\n',
  ].map(parseChange)
  expect(unreleasedChanges(changes)).toBe(
    '## Unreleased\n\n### @sluice/core\n\n- A new option.\n\n### Several packages\n\n- Both. (`@sluice/core`, `@sluice/redis`)',
  )
})

it('says so if everything is released', () => {
  expect(unreleasedChanges([])).toBe('## Unreleased\n\nNothing.')
})

it('rejects a file without packages', () => {
  expect(() => parseChange('Text.')).toThrow('expected a changeset')
})

it('is on the page of the site', () => {
  const page = pages().find(({ site }) => site === 'changelog')!
  expect(page.text).toMatch(/^# Changelog\n[\s\S]*\n\n## Unreleased\n/)
})

it.each([
  ['packages/core/src', '@sluice/core'],
  ['packages/core/src/keys', '@sluice/core/keys'],
  ['packages/cli/src', 'sluice'],
  ['elsewhere', 'elsewhere'],
])('a module of the reference at %s is called %s', (path, name) => {
  expect(moduleName(path)).toBe(name)
})
