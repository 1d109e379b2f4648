// Packs all packages into a folder: `pnpm pack:all FOLDER`. `npm install FOLDER/*.tgz` installs them in another project.
import { resolve } from 'node:path'
import { packAll } from './pack.mjs'

const folders = process.argv.slice(2).filter(argument => argument !== '--')
try {
  if (folders.length !== 1)
    throw new Error(`got ${folders.length} folders, expected one: pnpm pack:all FOLDER`)
  // pnpm runs scripts in the project's folder: a relative path is one of where pnpm was called.
  const folder = resolve(process.env.INIT_CWD ?? '.', folders[0])
  console.log(`Packed ${Object.keys(packAll(folder)).length} packages into ${folder}.`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
