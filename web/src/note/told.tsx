/** A message of the server as a sentence: it has names and commands between backticks. */
import { sentence, visible } from "./display";

export function Told({ message }: { message: string }) {
  const parts = visible(sentence(message)).split("`");
  // A name may itself have a backtick; then nobody knows where it ends.
  if (parts.length % 2 === 0) return <>{parts.join("`")}</>;
  return <>{parts.map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}
