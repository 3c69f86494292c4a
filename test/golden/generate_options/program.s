	.file	"p.c"
	.text
	.globl	leaf
	.p2align	4
	.type	leaf,@function
leaf:
.Lfunc_begin0:
	.file	0 "." "p.c" md5 0xbead4eb94841fca562d724e8898b43ba
	.cfi_sections .debug_frame
	.cfi_startproc
	.loc	0 1 54 prologue_end
	leal	1(%rdi), %eax
	.loc	0 1 45 is_stmt 0
	retq
.Ltmp0:
.Lfunc_end0:
	.size	leaf, .Lfunc_end0-leaf
	.cfi_endproc
	.globl	main
	.p2align	4
	.type	main,@function
main:
.Lfunc_begin1:
	.loc	0 2 0 is_stmt 1
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r14
	.cfi_def_cfa_offset 24
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset %rbx, -32
	.cfi_offset %r14, -24
	.cfi_offset %rbp, -16
.Ltmp1:
	.loc	0 4 21 prologue_end
	testl	%edi, %edi
.Ltmp2:
	.loc	0 4 3
	jle	.LBB1_1
.Ltmp3:
	.loc	0 0 3 is_stmt 0
	movl	%edi, %ebx
	xorl	%r14d, %r14d
	xorl	%ebp, %ebp
.Ltmp4:
	.p2align	4
.LBB1_4:
	.loc	0 4 42 is_stmt 1
	movl	%r14d, %edi
	callq	leaf
.Ltmp5:
	.loc	0 4 39
	addl	%eax, %ebp
.Ltmp6:
	.loc	0 4 30
	incl	%r14d
.Ltmp7:
	.loc	0 4 21
	cmpl	%r14d, %ebx
.Ltmp8:
	.loc	0 4 3
	jne	.LBB1_4
	jmp	.LBB1_2
.Ltmp9:
.LBB1_1:
	.loc	0 0 3 is_stmt 0
	xorl	%ebp, %ebp
.Ltmp10:
.LBB1_2:
	.loc	0 5 3 is_stmt 1
	movl	%ebp, %eax
	.loc	0 5 3 epilogue_begin is_stmt 0
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	retq
.Ltmp11:
.Lfunc_end1:
	.size	main, .Lfunc_end1-main
	.cfi_endproc
	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0
.Ldebug_list_header_start0:
	.short	5
	.byte	8
	.byte	0
	.long	3
.Lloclists_table_base0:
	.long	.Ldebug_loc0-.Lloclists_table_base0
	.long	.Ldebug_loc1-.Lloclists_table_base0
	.long	.Ldebug_loc2-.Lloclists_table_base0
.Ldebug_loc0:
	.byte	4
	.uleb128 .Lfunc_begin1-.Lfunc_begin0
	.uleb128 .Ltmp4-.Lfunc_begin0
	.byte	1
	.byte	85
	.byte	4
	.uleb128 .Ltmp4-.Lfunc_begin0
	.uleb128 .Ltmp9-.Lfunc_begin0
	.byte	1
	.byte	83
	.byte	4
	.uleb128 .Ltmp9-.Lfunc_begin0
	.uleb128 .Ltmp10-.Lfunc_begin0
	.byte	1
	.byte	85
	.byte	4
	.uleb128 .Ltmp10-.Lfunc_begin0
	.uleb128 .Lfunc_end1-.Lfunc_begin0
	.byte	4
	.byte	163
	.byte	1
	.byte	85
	.byte	159
	.byte	0
.Ldebug_loc1:
	.byte	4
	.uleb128 .Ltmp1-.Lfunc_begin0
	.uleb128 .Ltmp4-.Lfunc_begin0
	.byte	3
	.byte	17
	.byte	0
	.byte	159
	.byte	4
	.uleb128 .Ltmp4-.Lfunc_begin0
	.uleb128 .Ltmp9-.Lfunc_begin0
	.byte	1
	.byte	86
	.byte	4
	.uleb128 .Ltmp9-.Lfunc_begin0
	.uleb128 .Ltmp10-.Lfunc_begin0
	.byte	3
	.byte	17
	.byte	0
	.byte	159
	.byte	0
.Ldebug_loc2:
	.byte	4
	.uleb128 .Ltmp1-.Lfunc_begin0
	.uleb128 .Ltmp4-.Lfunc_begin0
	.byte	3
	.byte	17
	.byte	0
	.byte	159
	.byte	4
	.uleb128 .Ltmp4-.Lfunc_begin0
	.uleb128 .Ltmp9-.Lfunc_begin0
	.byte	1
	.byte	94
	.byte	0
.Ldebug_list_header_end0:
	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	37
	.byte	19
	.byte	5
	.byte	3
	.byte	37
	.byte	114
	.byte	23
	.byte	16
	.byte	23
	.byte	27
	.byte	37
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	115
	.byte	23
	.ascii	"\214\001"
	.byte	23
	.byte	0
	.byte	0
	.byte	2
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	122
	.byte	25
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	39
	.byte	25
	.byte	73
	.byte	19
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	3
	.byte	5
	.byte	0
	.byte	2
	.byte	24
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	4
	.byte	5
	.byte	0
	.byte	2
	.byte	34
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	5
	.byte	52
	.byte	0
	.byte	2
	.byte	34
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	6
	.byte	11
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	0
	.byte	0
	.byte	7
	.byte	72
	.byte	1
	.byte	127
	.byte	19
	.byte	125
	.byte	27
	.byte	0
	.byte	0
	.byte	8
	.byte	73
	.byte	0
	.byte	2
	.byte	24
	.byte	126
	.byte	24
	.byte	0
	.byte	0
	.byte	9
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	62
	.byte	11
	.byte	11
	.byte	11
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	5
	.byte	1
	.byte	8
	.long	.debug_abbrev
	.byte	1
	.byte	0
	.short	29
	.byte	1
	.long	.Lstr_offsets_base0
	.long	.Lline_table_start0
	.byte	2
	.byte	0
	.long	.Lfunc_end1-.Lfunc_begin0
	.long	.Laddr_table_base0
	.long	.Lloclists_table_base0
	.byte	2
	.byte	0
	.long	.Lfunc_end0-.Lfunc_begin0
	.byte	1
	.byte	87
	.byte	3
	.byte	0
	.byte	1
	.long	128
	.byte	3
	.byte	1
	.byte	85
	.byte	6
	.byte	0
	.byte	1
	.long	128
	.byte	0
	.byte	2
	.byte	1
	.long	.Lfunc_end1-.Lfunc_begin1
	.byte	1
	.byte	87
	.byte	5
	.byte	0
	.byte	2
	.long	128
	.byte	4
	.byte	0
	.byte	7
	.byte	0
	.byte	2
	.long	128
	.byte	5
	.byte	1
	.byte	8
	.byte	0
	.byte	3
	.long	128
	.byte	6
	.byte	1
	.long	.Ltmp9-.Lfunc_begin1
	.byte	5
	.byte	2
	.byte	9
	.byte	0
	.byte	4
	.long	128
	.byte	0
	.byte	7
	.long	39
	.byte	2
	.byte	8
	.byte	1
	.byte	85
	.byte	2
	.byte	126
	.byte	0
	.byte	0
	.byte	0
	.byte	9
	.byte	4
	.byte	5
	.byte	4
	.byte	0
.Ldebug_info_end0:
	.section	.debug_str_offsets,"",@progbits
	.long	44
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"clang"
.Linfo_string1:
	.asciz	"p.c"
.Linfo_string2:
	.asciz	"."
.Linfo_string3:
	.asciz	"leaf"
.Linfo_string4:
	.asciz	"int"
.Linfo_string5:
	.asciz	"main"
.Linfo_string6:
	.asciz	"x"
.Linfo_string7:
	.asciz	"count"
.Linfo_string8:
	.asciz	"sum"
.Linfo_string9:
	.asciz	"i"
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.long	.Linfo_string4
	.long	.Linfo_string5
	.long	.Linfo_string6
	.long	.Linfo_string7
	.long	.Linfo_string8
	.long	.Linfo_string9
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0
.Ldebug_addr_start0:
	.short	5
	.byte	8
	.byte	0
.Laddr_table_base0:
	.quad	.Lfunc_begin0
	.quad	.Lfunc_begin1
	.quad	.Ltmp5
.Ldebug_addr_end0:
	.section	.debug_line,"",@progbits
.Lline_table_start0:
