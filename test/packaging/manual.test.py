#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# sanitizers: none
"""Manual pages and completions hold what --help says, can be read by their readers, and work in the shells that
are here. SCRIPT MPXRUN [name of a test...]"""

from packages import *  # noqa: F403

PROGRAMS = [BIN / name for name in ("mpxrun", "mpxinfo", "mpx-perf") if (BIN / name).exists()]


def made(work):
    run(sys.executable, SOURCE / "tools/manual.py", "--out", work, *PROGRAMS)
    return work


def options_of(program):
    """The options of --help, found in another way than tools/manual.py does."""
    left = [line.split("  ")[1] for line in run(program, "--help").splitlines() if line.startswith("  -")]
    return {name for entry in left for name in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", entry)}


def pages(work):
    made(work)
    for program in PROGRAMS:
        source = (work / "man/man1" / f"{program.name}.1").read_text(encoding="utf-8").replace("\\-", "-")
        wanted = options_of(program)
        expect(len(wanted) > 1, f"{program.name} --help has no options")
        lacking = [name for name in wanted if f"\\fB{name}\\fR" not in source]
        expect(not lacking, f"{program.name}.1 lacks {lacking}")
    variables = set(re.findall(r'"(MPX_[A-Z_]+)"', (SOURCE / "tools/mpxrun/variables.hpp").read_text(encoding="utf-8")))
    tests = {name for name in variables if re.match(r"MPX_(ALLOC|PREEMPT|BIN|SOURCE|ROOT|HOME|DIR)", name)}
    page = (work / "man/man7/mpx-environment.7").read_text(encoding="utf-8")
    lacking = [name for name in variables - tests if f"\\fB{name}\\fR" not in page]
    expect(not lacking, f"mpx-environment.7 lacks {lacking}")
    if not shutil.which("groff"):
        print("groff is not here: the pages are not formatted")
        return
    for page in (work / "man").glob("man*/*"):
        complaint = run("groff", "-man", "-ww", "-Tutf8", page, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        done = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True, check=False)
        expect(done.returncode == 0 and not done.stderr and not complaint, f"{page.name}: {done.stderr}{complaint}")


def bash(work):
    made(work)

    def complete(program, *words):
        line = " ".join(f"'{word}'" for word in (program, *words))
        script = f"""source {work}/bash/{program}
COMP_WORDS=({line}); COMP_CWORD={len(words)}
{'_' + program.replace('-', '_')}; printf '%s\\n' "${{COMPREPLY[@]}}" """
        return run("bash", "-c", script, cwd=work).split()

    if not shutil.which("bash"):
        print("bash is not here")
        return
    expect(complete("mpxrun", "--hang") == ["--hang-report"], "--hang is not completed")
    expect(sorted(complete("mpxrun", "--bind-to", "")) == ["auto", "core", "none"], "the policies are not completed")
    (work / "some_folder").mkdir()
    (work / "some_file").touch()
    expect(complete("mpxrun", "--wdir", "some") == ["some_folder"], "--wdir is not a folder")
    expect(complete("mpxrun", "-n", "") == [], "a number is completed")
    expect("--survive" not in complete("mpxrun", "-n", "2", "./program", "--s"), "a program's option is mpxrun's")
    expect(complete("mpxrun", "-n", "2", "./program", "x", ":", "--exp") == ["--export"], "behind a colon are no options")
    if (BIN / "mpx-perf") in PROGRAMS:
        expect("latency" in complete("mpx-perf", "lat"), "the tests are not completed")
        expect(sorted(complete("mpx-perf", "--format", "")) == ["csv", "json", "table"], "the formats are not completed")


def other_shells(work):
    made(work)
    if shutil.which("zsh"):
        for program in PROGRAMS:
            run("zsh", "-n", work / "zsh" / f"_{program.name}")
    else:
        print("zsh is not here: its completion is not read")
    if shutil.which("fish"):
        home = {**CLEAN, "HOME": str(work), "XDG_CONFIG_HOME": str(work)}

        def complete(program, line):
            return [word.split("\t")[0] for word in run("fish", "-c", f"source {work}/fish/{program}.fish; complete -C '{line}'",
                                                        env=home).splitlines()]

        expect(complete("mpxrun", "mpxrun --hang") == ["--hang-report"], "fish: --hang is not completed")
        expect(sorted(complete("mpxrun", "mpxrun --bind-to ")) == ["auto", "core", "none"], "fish: no policies")
    else:
        print("fish is not here: its completion is not read")


expect(len(PROGRAMS) >= 2, f"programs: {PROGRAMS}")
in_order(pages, bash, other_shells)
