/** The native core, asked about candidates that a page has ranked. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bundle, Profile, ProfilePatch } from "../src/core/concord";
import { merge } from "../src/profile/patch";
import { concord } from "./server";

/** The digest of the ranking under a domain's own profile and a page's changes to it. */
export function nativeDigest(bundle: Bundle, own: Profile, patch: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "concord-digests-"));
  try {
    const [candidates, profile] = [join(folder, "bundle.json"), join(folder, "profile.json")];
    writeFileSync(candidates, JSON.stringify(bundle));
    writeFileSync(profile, JSON.stringify(merge(own, JSON.parse(patch) as ProfilePatch)));
    const told = JSON.parse(concord("rank", "--bundle", candidates, "--profile", profile, "--json")) as {
      digest?: string;
      ranking?: { digest: string };
    };
    return told.digest ?? told.ranking?.digest;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function ownProfile(origin: string, domain: string): Promise<Profile> {
  const { domains } = (await (await fetch(`${origin}/v1/domains`)).json()) as {
    domains: { name: string; profile: Profile }[];
  };
  const found = domains.find(({ name }) => name === domain);
  if (!found) throw new Error(`the server has no domain ${domain}`);
  return found.profile;
}
