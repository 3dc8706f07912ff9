import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/field.tsx';
import type { PageForm } from '#web/ui/use-form.ts';

export function CodeField({ form, initial }: { form: PageForm; initial?: string }) {
  return (
    <TextField
      label="Code"
      hint="12 letters and digits. Capital letters and spaces do not matter."
      className="max-w-64 uppercase nums"
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={40}
      {...form.field('code', initial)}
    />
  );
}

export function UseCodeButton({ form }: { form: PageForm }) {
  return (
    <Button
      type="submit"
      name="intent"
      value="code"
      className="justify-self-start"
      busy={form.busy('Checking...', 'code')}
    >
      Use this code
    </Button>
  );
}
