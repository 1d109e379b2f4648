// Everything that is checked without running the service, cheapest first: `pnpm check`.
// Stops at the first step that fails, and says what to do.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installedBytes } from './install-size.mjs'
import { packAll } from './pack.mjs'
import { run, seconds } from './run.mjs'

const packed = mkdtempSync(join(tmpdir(), 'sluice-check-'))
let tarballs = {}
/** Megabytes on a user's disk, dependencies included. */
const installedAtMost = { '@sluice/express': 16, sluice: 25 }

const steps = [
  {
    name: 'lint and format (biome)',
    check: () => run('biome', ['check', '--error-on-warnings', '.']),
    mend: '`npx -y pnpm format` mends what can be mended by itself; the rest is named above.',
  },
  {
    name: 'types (tsc)',
    check: () => run('tsc', ['--noEmit']),
    mend: 'Mend the types named above; to give a type up is no way out.',
  },
  {
    name: 'dependency rules (test/repo/imports.test.ts)',
    check: () => run('vitest', ['run', '--reporter=dot', 'test/repo/imports.test.ts']),
    mend: 'Move the code to the room where its import is allowed; the rules are in the test.',
  },
  {
    name: 'unused files, exports and dependencies (knip)',
    check: () => run('knip', ['--no-progress', '--treat-config-hints-as-errors']),
    mend: 'Remove what is unused, or make it reachable; knip.json says where reading starts.',
  },
  {
    name: 'build (tsup)',
    check: () => run(process.execPath, ['scripts/build.mjs', '--if-changed']),
    mend: 'Mend the build; `npx -y pnpm build` repeats it.',
  },
  {
    name: 'package.json of each package (publint)',
    check: () => {
      tarballs = packAll(packed)
      for (const tarball of Object.values(tarballs))
        run('publint', ['run', tarball, '--strict'], { quiet: true })
    },
    mend: 'Mend packages/*/package.json as said above.',
  },
  {
    name: 'types as users see them (attw, node16 and bundler)',
    check: () => {
      const flags = ['--profile', 'node16', '--format', 'ascii', '--no-color', '--no-emoji']
      for (const tarball of Object.values(tarballs)) run('attw', [tarball, ...flags], { quiet: true })
    },
    mend: 'Mend `exports` in packages/*/package.json, and the same in its publishConfig.',
  },
  {
    name: 'what a bundle grows by (size-limit)',
    check: () => run('size-limit', ['--silent']),
    mend: 'Leave out what is not needed, or raise the bound in .size-limit.mjs and say why in the commit.',
  },
  {
    name: 'npm publish --dry-run',
    check: () => run(process.execPath, ['scripts/publish-dry-run.mjs', packed]),
    mend: 'Mend packages/*/package.json until npm publishes it without a warning.',
  },
  {
    name: 'what is installed with a package',
    check: () => {
      for (const [name, most] of Object.entries(installedAtMost)) {
        const megabytes = installedBytes(name, tarballs) / 1e6
        const size = `${name}: ${megabytes.toFixed(1)} MB of at most ${most}`
        if (megabytes > most) throw new Error(`${size} MB`)
        console.log(`      ${size}`)
      }
    },
    mend: 'Leave out what is not needed, or raise `installedAtMost` and say why in the commit.',
  },
]

process.exitCode = runSteps()
rmSync(packed, { recursive: true, force: true })

function runSteps() {
  for (const [index, { name, check, mend }] of steps.entries()) {
    const start = performance.now()
    console.log(`\n[${index + 1}/${steps.length}] ${name}`)
    try {
      check()
    } catch (error) {
      console.error(`\nFailed: ${name}\n${error.message}\nWhat to do: ${mend}`)
      return 1
    }
    console.log(`      ok, ${seconds(start)}`)
  }
  console.log(`\n${steps.length} checks passed, 0 failed`)
  return 0
}
