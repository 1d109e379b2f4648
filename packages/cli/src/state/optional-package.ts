import { CommandError } from '../command.ts'
import { projectModule } from '../service/project-module.ts'

/** A package that is installed by those who need it. */
interface OptionalPackage {
  /** The setting that needs it, as a message begins: `state.redis`. */
  readonly setting: string
  /** What is installed: `pg`. */
  readonly name: string
  /** What is imported, if not the package's main module. */
  readonly entry?: string
  /** A way without the package, which follows `or`. */
  readonly instead?: string
}

/**
 * Loads a package of the project, or else of this program. Rejects with `CommandError`, which says how to install it, where
 * neither has it or it cannot be loaded.
 */
export async function optionalPackage<Module>(
  { setting, name, entry = name, instead }: OptionalPackage,
  folder: string,
  load: typeof projectModule = projectModule,
): Promise<Module> {
  const problem = (what: string) => {
    const without = instead === undefined ? '' : `\nOr ${instead}.`
    return new CommandError(
      `${setting} needs the package ${name}, which ${what}. Run: npm install ${name}${without}`,
    )
  }
  // Such as without the part of it that is for this platform.
  const loaded = await load(entry, folder).catch((error: unknown) => {
    throw problem(`cannot be loaded: ${reasonOf(error)}`)
  })
  if (loaded === undefined) throw problem('is not installed here')
  return loaded as Module
}

function reasonOf(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return first.replace(/\.$/, '')
}
