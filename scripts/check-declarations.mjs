// Runs before a package is packed (`prepack`), in its folder. Fails if its dist has no type declarations, as after `pnpm start`,
// which builds without them. `SLUICE_PACK_WITHOUT_TYPES=1` packs anyway, for tests that need no types.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const issue = missingDeclaration({ folder: process.cwd(), manifest })
  if (issue !== undefined && process.env.SLUICE_PACK_WITHOUT_TYPES !== '1') {
    console.error(issue)
    process.exitCode = 1
  }
}

/** Says which type declaration of a package's entries is not built; `undefined` if all are. */
export function missingDeclaration({ folder, manifest }) {
  const missing = declarationsOf(manifest.exports).find(file => !existsSync(join(folder, file)))
  if (missing === undefined) return undefined
  return `${manifest.name} has no type declarations: ${missing} is missing. Build them, then pack again: npx -y pnpm build`
}

/** The `types` of all entries of a package.json's `exports`. */
function declarationsOf(entry) {
  if (typeof entry !== 'object' || entry === null) return []
  return Object.entries(entry).flatMap(([key, value]) => (key === 'types' ? [value] : declarationsOf(value)))
}
